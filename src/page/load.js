// Reads a script that is not of the first view. The service sends all of those as one file (`scripts.rs`).
export const load = (name) => import(`/sandbox/${name}.js`);
