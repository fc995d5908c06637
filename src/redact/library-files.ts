/** Files of PyTorch and of libraries for it, in call stacks. */
import { FILE_WORDS, isToolText } from './words.js';

const LIBRARY = '(?:torch|apex/optimizers|pyprof2?/nvtx)';
/** A file that pip installed: no file of the program is in these folders. */
const INSTALLED = new RegExp(`(?:^|/)(?:site|dist)-packages/(${LIBRARY}/[\\w/]{1,150}\\.py)$`);
/** A file that may be one of the program, in a folder with the name of a library. */
const NAMED = new RegExp(`^(?:.*/)?(${LIBRARY})/(.+)$`, 's');

/** The place of a file in a library. */
export interface LibraryPlace {
  /** The folder of the library, and the folders in it up to the first unknown one; the whole path below it if all are known. */
  readonly known: string;
  /** Whether the file is known too. */
  readonly isFile: boolean;
  readonly isInstalled: boolean;
  /** Whether the path starts with the folder of the library, as in old traces. */
  readonly isRelative: boolean;
}

const isKnown = (name: string): boolean => isToolText(name, FILE_WORDS);

/**
 * The place in a library, from the path of a file; null for paths outside of any.
 * @param path with slashes
 */
export function libraryPlace(path: string): LibraryPlace | null {
  const installed = INSTALLED.exec(path)?.[1];
  if (installed !== undefined) return { known: installed, isFile: true, isInstalled: true, isRelative: false };
  const [, library, rest] = NAMED.exec(path) ?? [];
  if (library === undefined || rest === undefined) return null;
  const names = rest.split('/');
  const unknown = names.findIndex((name) => !isKnown(name));
  const isFile = unknown === -1 && rest.endsWith('.py');
  const known = isFile ? names : names.slice(0, unknown === -1 ? -1 : Math.min(unknown, names.length - 1));
  return {
    known: [library, ...known].join('/'),
    isFile,
    isInstalled: false,
    isRelative: path === `${library}/${rest}`,
  };
}

const FUNCTION = /^(?:<(?:module|lambda|listcomp|dictcomp|genexpr|setcomp)>|[A-Za-z_]\w{0,80})$/;

/** Whether a function of a file is one of a library. @param path the path of the file, with slashes */
export function isLibraryFunction(name: string, path: string): boolean {
  const place = libraryPlace(path);
  if (place === null || !FUNCTION.test(name)) return false;
  return place.isInstalled || (place.isFile && isKnown(name));
}

/** Modules that Python itself contains in compiled form. */
const FROZEN: ReadonlySet<string> = new Set(
  ['importlib._bootstrap', 'importlib._bootstrap_external', 'zipimport', 'abc', 'codecs', 'io', '_collections_abc'].concat(
    ['_sitebuiltins', 'genericpath', 'ntpath', 'posixpath', 'os', 'site', 'stat', 'importlib.util', 'importlib.machinery', 'runpy', 'getpath', 'importlib'],
  ),
); // prettier-ignore

/** Whether a text names a module that Python itself contains: `<frozen os>` */
export const isFrozenModule = (text: string): boolean => FROZEN.has(/^<frozen ([\w.]{1,60})>$/.exec(text)?.[1] ?? '');
