// An entry of the error catalogue: status, title, and a sentence that names the next step.
export const entry = (status: number, title: string, detail: string) => ({ status, title, detail });
