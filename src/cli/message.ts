/** Messages of the tools on stderr, one line each. */
import { legible } from '../record/control-characters.js';
import { screenText } from './screens/layout.js';

/** Width of a terminal that does not state it. */
export const TERMINAL_WIDTH = 80;

/** The name of a tool, printed before each of its messages. */
export type ToolName = 'dparse' | 'dprof';

/**
 * Prints a message in one line, or on a terminal in lines of the terminal's width.
 * @param text may contain file names and quote input
 */
export function say(tool: ToolName, text: string): void {
  const line = `${tool}: ${legible(text)}\n`;
  if (said?.has(line) === true) return;
  said?.add(line);
  const { isTTY, columns } = process.stderr;
  process.stderr.write(isTTY ? screenText([line.trimEnd()], (whole) => whole, columns || TERMINAL_WIDTH) : line);
}

/** The messages printed so far, if each is to be printed only once. */
let said: Set<string> | null = null;

/**
 * Runs a body that may print the same message several times, such as several commands over one input; each line is printed
 * once.
 */
export async function sayingOnce(body: () => Promise<void>): Promise<void> {
  said = new Set();
  try {
    await body();
  } finally {
    said = null;
  }
}
