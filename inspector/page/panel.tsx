/** The frame around a view: its name, its tools, and the two things every view can do: be read as text, and fill the page. */
import type { ComponentChildren } from 'preact';
import { asText, maximized, toggleMaximized, toggleText, type ViewName } from './shell.js';

interface PanelProps {
  readonly view: ViewName;
  readonly title: ComponentChildren;
  readonly tools?: ComponentChildren;
  /** The text alternative; read when it is shown. */
  readonly text: () => ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ view, title, tools, text, children }: PanelProps) {
  const isText = asText.value.has(view);
  const isLarge = maximized.value === view;
  return (
    <section class={`panel panel-${view}${isLarge ? ' is-large' : ''}`} aria-labelledby={`title-${view}`} data-view={view}>
      <header class="panel-head">
        <h2 id={`title-${view}`}>{title}</h2>
        <div class="tools">
          {tools}
          <IconButton label="show as text" pressed={isText} onPress={() => toggleText(view)} icon="M4 6h16M4 12h16M4 18h10" />
          <IconButton
            label={isLarge ? 'back to all views' : 'fill the page'}
            shortcut={isLarge ? 'Esc' : undefined}
            pressed={isLarge}
            onPress={() => toggleMaximized(view)}
            icon={isLarge ? 'M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5' : 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5'}
          />
        </div>
      </header>
      <div class="panel-body">{isText ? <div class="as-text">{text()}</div> : children}</div>
    </section>
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly icon: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  /** Its key, for the tooltip. */
  readonly shortcut?: string | undefined;
  onPress(): void;
}

export function IconButton({ label, icon, pressed, disabled = false, shortcut, onPress }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon"
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      aria-label={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onPress}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={icon} />
      </svg>
    </button>
  );
}
