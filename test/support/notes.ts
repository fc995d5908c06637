/** Notes of answers as the lines that users read. */
import type { Note } from '../../src/prof/limits.js';

export const linesOf = (notes: readonly Note[] = []): string[] => notes.map(({ line }) => line);
