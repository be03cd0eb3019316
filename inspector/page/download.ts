/** Saves pieces of text or data as a file. */
export function download(name: string, pieces: readonly BlobPart[]): void {
  const url = URL.createObjectURL(new Blob([...pieces], { type: 'application/octet-stream' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
