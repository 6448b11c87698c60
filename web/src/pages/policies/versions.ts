/** How a set is called: a version, or the set of the installation. */
export function versionName(version: number | null): string {
  return version === null ? 'Installation' : `Version ${version}`;
}
