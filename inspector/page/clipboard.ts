/** Whether it was copied: a browser may refuse, and has no clipboard for a page that came without encryption. */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (!clipboard) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
