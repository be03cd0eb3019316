/** Whom the page asks: the server that it comes from or, in a frame of a page of the same origin that answers in its place, that page. */
interface Around {
  /** The playground of the site, which has no server, answers with what its worker says. */
  readonly answerInspector?: typeof fetch;
}

export const askServer: typeof fetch = (path, request) => (around()?.answerInspector ?? fetch)(path, request);

/** A page of another origin may not be looked into. */
function around(): Around | null {
  try {
    const { parent } = window as unknown as { readonly parent: Around };
    return 'answerInspector' in parent ? parent : null;
  } catch {
    return null;
  }
}
