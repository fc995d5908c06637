/**
 * Texts never become markup or programs: the browser asks here before any text is parsed as HTML or run as a script, and
 * only the empty text, and the script that the page holds as text, are allowed.
 */

interface TrustedTypes {
  readonly createPolicy: (name: 'default', rules: Readonly<Record<'createHTML' | 'createScript', Rule>>) => unknown;
}

/** Returns the text that is allowed, else null. */
type Rule = (text: string) => string | null;

/**
 * Libraries empty elements by an empty text. Browsers that do not know trusted types ignore the page's demand for them.
 * @param held a script that may be run
 */
export function forbidMarkup(held: string): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text === '' ? '' : null),
    createScript: (text) => (text === held ? text : null),
  });
}
