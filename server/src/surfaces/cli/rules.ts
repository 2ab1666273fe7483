// How somebody writes codes. Pure.

/** Only A to Z: what is no letter of a key must not become one, as ß would become SS. */
export const keyOfProject = (code: string) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase());
