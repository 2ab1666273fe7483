// Loads a library from here: what npm run voice:install has brought.
export const load = (name) => import(name);
