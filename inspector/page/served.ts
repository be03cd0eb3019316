/** The target of the page's requests: its server or, in a frame of a page of the same origin that answers instead, that page. */
interface Around {
  /** The playground of the site has no server. Its worker answers. */
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
