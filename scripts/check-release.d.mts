export function missingIn(folder: string): readonly string[];
