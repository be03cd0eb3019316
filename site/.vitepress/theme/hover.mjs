/** The panel with the type of a name in a block. */
import { Menu, options } from 'floating-vue';

// The panel belongs to the main part of the page, for screen readers.
options.container = 'main';

const triggers = ['hover', 'touch'];
options.themes.twoslash = {
  $extend: 'dropdown',
  triggers,
  popperTriggers: triggers,
  placement: 'bottom-start',
  overflowPadding: 10,
  delay: 0,
  handleResize: false,
  autoHide: true,
  instantMove: true,
  flip: false,
  arrowPadding: 8,
  autoBoundaryMaxSize: true,
};

export default Menu;
