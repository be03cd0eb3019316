/** Which edits of the charts are no mistakes. */
export const reasons: Readonly<Record<string, string>> = {};
