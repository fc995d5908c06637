/** Markdown from rows. */

/** What stands at the top of every page that is made from the code's tables. */
export const NOTICE = '<!-- Made by `npm run docs` from the tables in the code: change those, not this file. -->';

/** A cell: pipes would end it, line ends would end the row. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headers), `|${headers.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

export const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

/** Blocks with an empty line between them, and a line end after the last. */
export const page = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`;

/** 15052800 → `15,052,800`. */
export const grouped = (n: number): string => n.toLocaleString('en-US');
