/** Returns the parts of a path between its slashes, without query and fragment. */
export function segmentsOf(path) {
  const bare = path.split(/[?#]/, 1)[0];
  return bare.split('/').filter((segment) => segment !== '');
}
