/** The map of folders in CONTRIBUTING.md: each folder of `src` with the sentence of its README.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BEGIN = '<!-- folders: made by npm run docs from the README.md of each folder -->';
const END = '<!-- end of folders -->';

/** Levels below `src` that the map shows. */
const LEVELS = 2;

/** Folders of `src` with code, as paths from the repository's root, parents first. */
function foldersOf(root: string, folder = 'src'): string[] {
  const below = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`)
    .sort();
  return below.flatMap((path) => [path, ...foldersOf(root, path)]);
}

/**
 * What a folder's README.md says lives in it: its first paragraph, on one line.
 * @returns null without a README.md
 */
function purposeOf(root: string, folder: string): string | null {
  const path = join(root, folder, 'README.md');
  if (!existsSync(path)) return null;
  const [, paragraph = ''] = readFileSync(path, 'utf8').split(/\n{2,}/);
  return paragraph.replaceAll('\n', ' ').trim();
}

/** CONTRIBUTING.md with its map written anew. */
export function withFolders(root: string, page: string): string {
  const rows = foldersOf(root)
    .filter((path) => path.split('/').length <= 1 + LEVELS)
    .map((path) => `| \`${path}/\` | ${purposeOf(root, path) ?? ''} |`);
  const map = ['| folder | contents |', '|---|---|', ...rows].join('\n');
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${map}\n\n${END}${after}`;
}
