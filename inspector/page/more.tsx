/** The end of a list that is too long to show: "and 12 more", with the names of these items as its tooltip. */

/** More names do not fit. */
const TITLE_MAX = 200;

export function More({ names, things = '' }: { names: readonly string[]; things?: string }) {
  if (names.length === 0) return null;
  const title = names.length > TITLE_MAX ? `${names.slice(0, TITLE_MAX).join(', ')}, …` : names.join(', ');
  return (
    <span class="more" title={title}>
      and {names.length.toLocaleString('en-US')} more{things && ` ${things}`}
    </span>
  );
}
