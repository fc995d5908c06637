/** Manual pages in the macros of man(7), in ASCII: other characters by troff's names for them. */

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '~': '\\(ti',
  '^': '\\(ha',
  "'": '\\(aq',
  '`': '\\(ga',
  '→': '\\(->',
  '·': '\\(pc',
  '≥': '\\(>=',
  '≠': '\\(!=',
  '–': '\\(en',
  '…': '...',
};

/**
 * Text as troff shows it unchanged.
 * @throws Error for a character that has no name here
 */
export function escape(text: string): string {
  return text.replace(/[^ !"#$%&()*+,./0-9:;<=>?@A-Z[\]_a-z{|}]/gu, (character) => {
    const name = NAMED[character];
    if (name === undefined) throw new Error(`docs/pages/troff.ts has no name for the character ${character}`);
    return name;
  });
}

/** A line that begins with a control character would be a request. */
const line = (text: string): string => (/^[.']/.test(text) ? `\\&${text}` : text);

export const paragraph = (text: string): string => `.PP\n${line(escape(text))}`;
export const bold = (text: string): string => `\\fB${escape(text)}\\fR`;
export const italic = (text: string): string => `\\fI${escape(text)}\\fR`;

/** A term and what it means. `term` is troff already. */
export const item = (term: string, meaning: string): string => `.TP\n${line(term)}\n${line(escape(meaning))}`;

/** Lines as they are, indented, not filled. */
export const verbatim = (lines: readonly string[]): string =>
  ['.PP', '.nf', '.RS 4', ...lines.map((text) => line(escape(text))), '.RE', '.fi'].join('\n');

export const section = (title: string, ...blocks: readonly string[]): string => [`.SH ${title}`, ...blocks].join('\n');

/** A whole page. */
export const manual = (name: string, version: string, sections: readonly string[]): string =>
  `${[
    '.\\" Made by npm run docs from the tables in the code: change those, not this file.',
    `.TH ${name.toUpperCase()} 1 "" "dprof\\-cli ${escape(version)}" "User Commands"`,
    ...sections,
  ].join('\n')}\n`;
