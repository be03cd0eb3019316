interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
}
export const sidebar: Readonly<Record<string, readonly Item[]>>;
export const contents: readonly { readonly title: string; readonly pages: readonly string[] }[];
