/**
 * A page as one self-contained document: data, program and style are inside, and its policy lets no request leave it.
 * Nothing of the data can break out: as text of the document `&`, `<`, `>` and quotes are escaped, in the data `<` is.
 */
import { createHash } from 'node:crypto';
import { jsonPieces } from './json-pieces.js';

/** The page's program and its style sheet, of our own making. */
export interface PageProgram {
  readonly script: string;
  readonly style: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// eslint-disable-next-line no-control-regex -- what no document may hold
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const text = (plain: string): string =>
  plain.replace(CONTROL, ' ').replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

/** In strings of JavaScript `<\/` is `</`, and `\x3c!--` is `<!--`; outside of strings a bundle has neither. */
const scriptText = (script: string): string =>
  script
    .replace(/<\/(script)/gi, '<\\/$1')
    .replace(/<(script)/gi, '\\x3c$1')
    .replace(/<!--/g, '\\x3c!--');

/** As in strings of CSS. */
const styleText = (style: string): string => style.replace(/<\/(style)/gi, '<\\/$1');

/** Whatever the page does, nothing leaves it: its own program, its own style, pictures it makes itself. */
const policy = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    // Charts put styles on their elements.
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/**
 * The document, in pieces.
 * @param data for the program, which finds it as JSON in the element `data`
 */
export function* page(title: string, data: unknown, program: PageProgram): Generator<string> {
  const script = scriptText(program.script);
  yield [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy(script)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<link rel="icon" href="data:,">',
    `<title>${text(title)}</title>`,
    `<style>${styleText(program.style)}</style>`,
    '</head>',
    '<body>',
    '<main id="page"></main>',
    '<noscript>This page draws its data with JavaScript, which is turned off.</noscript>',
    '<script type="application/json" id="data">',
  ].join('\n');
  yield* jsonPieces(data);
  yield `</script>\n<script>${script}</script>\n</body>\n</html>\n`;
}
