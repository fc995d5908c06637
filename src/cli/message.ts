/** What the tools say on stderr: one line each. */
import { legible } from '../record/control-characters.js';

/** The name of a tool, which goes before each of its messages. */
export type ToolName = 'dparse' | 'dprof';

/** Says something in one line. @param text may name files and quote input */
export function say(tool: ToolName, text: string): void {
  const line = `${tool}: ${legible(text)}\n`;
  if (said?.has(line) === true) return;
  said?.add(line);
  process.stderr.write(line);
}

/** What was said where everything is said once. */
let said: Set<string> | null = null;

/** Runs what says the same several times, as commands over one input do; each line is said once. */
export async function sayingOnce(body: () => Promise<void>): Promise<void> {
  said = new Set();
  try {
    await body();
  } finally {
    said = null;
  }
}
