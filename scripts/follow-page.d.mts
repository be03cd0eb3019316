export function isShown(printed: string, shown: string): boolean;
export function stepsOf(
  text: string,
): (
  | { readonly file: string; readonly content: string; readonly command?: undefined; readonly shown?: undefined }
  | { readonly command: string; readonly shown: string | null; readonly file?: undefined }
)[];
export function followPage(page: string, empty: string, tarball: string, look?: () => Promise<void>): Promise<void>;
