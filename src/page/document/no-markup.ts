/** Texts never become markup: the browser asks here before any text is parsed as HTML, and only the empty text is allowed. */

interface TrustedTypes {
  readonly createPolicy: (name: 'default', rules: { readonly createHTML: (text: string) => string | null }) => unknown;
}

/** Libraries empty elements by an empty text. Browsers that do not know trusted types ignore the page's demand for them. */
export function forbidMarkup(): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });
}
