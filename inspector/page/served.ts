/** Sends the page's requests to its server. In the website's playground, which has no server, the surrounding page replies instead. */
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
