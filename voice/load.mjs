// Imports a package from here, where npm run voice:install has installed it.
export const load = (name) => import(name);
