/** Messages of the tools on stderr, one line each. */
import { legible } from '../record/control-characters.js';

/** The name of a tool, printed before each of its messages. */
export type ToolName = 'dparse' | 'dprof';

/** Prints a message in one line. @param text may contain file names and quote input */
export function say(tool: ToolName, text: string): void {
  const line = `${tool}: ${legible(text)}\n`;
  if (said?.has(line) === true) return;
  said?.add(line);
  process.stderr.write(line);
}

/** The messages printed so far, while each is printed only once. */
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
