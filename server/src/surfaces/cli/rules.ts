// Canonical form of codes. Pure.

/** Only A to Z: toUpperCase would turn ß into SS. */
export const keyOfProject = (code: string) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase());
