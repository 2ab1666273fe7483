// What a code of the catalogue is: its status, a title, and a sentence that says what to do next.
export const entry = (status: number, title: string, detail: string) => ({ status, title, detail });
