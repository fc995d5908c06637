/**
 * The fragment of the address, which stores the state of the page: `#theme=dark&panel=layers`. The page stores no state
 * elsewhere. Each part of the page changes only its parameters and keeps the others.
 */

/** @param fragment with or without its '#' */
export function readFragment(fragment: string): Map<string, string> {
  return new Map(new URLSearchParams(fragment.replace(/^#/, '')));
}

/** @param value null removes the parameter */
export function withName(fragment: string, name: string, value: string | null): string {
  const names = new URLSearchParams(fragment.replace(/^#/, ''));
  if (value === null) names.delete(name);
  else names.set(name, value);
  return names.toString();
}
