/** The default theme, and what axe has against it mended. */
import DefaultTheme from 'vitepress/theme';
import './theme.css';

export default DefaultTheme;
