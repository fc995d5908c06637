/** Libraries that users install separately, because only one command needs them. */
import { UserError } from './errors.js';

/** Codes of Node when it does not find a library, or something that the library needs. */
const NOT_FOUND: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * Loads such a library.
 * @param needs what needs which library: `dprof sql needs DuckDB`
 * @param install how to install it
 * @throws UserError when it is not installed, or not available for this machine
 */
export async function optionalLibrary<T>(load: () => Promise<T>, needs: string, install: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && NOT_FOUND.has(error.code);
    const text = error instanceof Error ? error.message : String(error);
    const reason = isMissing ? 'is not installed' : `cannot be loaded: ${text}`;
    throw new UserError(`${needs}, which ${reason}`, { hint: install });
  }
}
