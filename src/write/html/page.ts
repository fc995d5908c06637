/**
 * Writes a page as one self-contained document with data, program and style; its content security policy allows no
 * requests. The data cannot inject markup: `&`, `<`, `>` and quotes are escaped in strings of the document, `<` in the
 * data.
 */
import { escapeControls, escapeShownJson } from '../../record/control-characters.js';
import { createHash } from 'node:crypto';

/** The page's bundled program and style sheet. */
export interface PageProgram {
  readonly script: string;
  /** The chart library, which the program runs when it draws the first chart. */
  readonly charts: string;
  readonly style: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const text = (plain: string): string => escapeControls(plain).replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

/** In JavaScript strings, `<\/` means `</`, and `\x3c!--` means `<!--`; a bundle has neither outside of strings. */
const scriptText = (script: string): string =>
  script
    .replace(/<\/(script)/gi, '<\\/$1')
    .replace(/<(script)/gi, '\\x3c$1')
    .replace(/<!--/g, '\\x3c!--');

/** In CSS strings, `<\/` means `</`. */
const styleText = (style: string): string => style.replace(/<\/(style)/gi, '<\\/$1');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The content security policy: it allows the page's programs and style sheet (but no style attributes in markup), and the
 * empty icon; no requests, no frames, no text that becomes markup.
 */
const policy = ({ script, charts, style }: PageProgram): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)} ${hashOf(charts)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    // The program's trusted types policy, which allows only the empty string and the chart library.
    'trusted-types default',
  ].join('; ');

/** JSON in a script element, in which `<` would start tags and comments. Invisible characters become visible escapes. */
const scriptJson = (value: unknown): string => escapeShownJson(JSON.stringify(value)).replaceAll('<', '\\u003c');

/** Depth to which values are written one by one: profiles, a profile, its panels, their lists. */
const LEVELS = 4;

/**
 * The value's JSON, which cannot end the script element around it. Lists and objects near the top are written in pieces, so
 * that the whole is never one string in memory.
 */
export function* jsonPieces(value: unknown, levels = LEVELS): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield scriptJson(value);
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue;
    yield isList ? before : `${before}${scriptJson(key)}:`;
    yield* jsonPieces(part, levels - 1);
    before = ',';
  }
  yield before === ',' ? (isList ? ']' : '}') : isList ? '[]' : '{}';
}

/** A value in a separate element, which is parsed only when the program needs it. */
interface ValueElement {
  readonly id: string;
  readonly value: unknown;
}

function* valueElements(elements: readonly ValueElement[]): Generator<string> {
  for (const { id, value } of elements) {
    yield `<script type="application/json" id="${text(id)}">`;
    yield* jsonPieces(value);
    yield '</script>\n';
  }
}

/**
 * The document in pieces.
 * @param before values that the program reads at once
 * @param behind values for which the program does not wait
 * @param head small value near the start of the document, for programs that read the file
 */
export function* page(
  title: string,
  program: PageProgram,
  before: readonly ValueElement[],
  behind: readonly ValueElement[] = [],
  head: readonly ValueElement[] = [],
): Generator<string> {
  const [script, charts] = [scriptText(program.script), scriptText(program.charts)];
  const style = styleText(program.style);
  yield [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy({ script, charts, style })}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<link rel="icon" href="data:,">',
    `<title>${text(title)}</title>`,
    ...valueElements(head),
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main id="page"></main>',
    '<noscript>This page draws its data with JavaScript, which is turned off.</noscript>',
    `<script type="text/plain" id="charts">${charts}</script>\n`,
  ].join('\n');
  yield* valueElements(before);
  yield `<script>${script}</script>\n`;
  yield* valueElements(behind);
  yield '</body>\n</html>\n';
}
