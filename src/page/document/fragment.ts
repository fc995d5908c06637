/**
 * What the address remembers behind its '#': names with values, `theme=dark&panel=layers`. Nothing is stored elsewhere.
 * A part of the page changes its own names and leaves the others.
 */

/** @param fragment with or without its '#' */
export function readFragment(fragment: string): Map<string, string> {
  return new Map(new URLSearchParams(fragment.replace(/^#/, '')));
}

/** @param value null takes the name away */
export function withName(fragment: string, name: string, value: string | null): string {
  const names = new URLSearchParams(fragment.replace(/^#/, ''));
  if (value === null) names.delete(name);
  else names.set(name, value);
  return names.toString();
}
