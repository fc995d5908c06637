/**
 * The console blocks of README, the guides and the pages of vendors: commands with the output that readers see.
 *
 *   npm run docs examples    runs every command and writes its output into the page
 *
 * Tests run the same commands and compare. A block is fenced with `console`, its first line is the command after `$ `.
 * Programs of the library are fenced with `js`, what they print with `text`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Example {
  readonly command: string;
  /** What the page says that the command prints. */
  readonly output: string;
}

const BLOCK = /```console\n\$ (.*)\n([^]*?)```/g;

/** Examples of a page, in order. */
export const examplesIn = (page: string): Example[] =>
  [...page.matchAll(BLOCK)].map(([, command = '', output = '']) => ({ command, output }));

/** A program of a guide, and what it prints. */
const PROGRAM = /```js\n((?:(?!```)[^])*)```\n\n```text\n((?:(?!```)[^])*)```/g;

export interface ProgramExample {
  /** With the import of the package as users write it. */
  readonly code: string;
  readonly output: string;
}

export const programsIn = (page: string): ProgramExample[] =>
  [...page.matchAll(PROGRAM)].map(([, code = '', output = '']) => ({ code, output }));

/** Writes a program into a folder, to import the package of the checkout; the command that runs it. */
export function programCommand(root: string, folder: string, code: string): string {
  const path = join(folder, 'example.mjs');
  writeFileSync(path, code.replace("'dprof-cli'", `'${pathToFileURL(join(root, 'dist/index.js')).href}'`));
  return `'${process.execPath}' '${path}'`;
}

/** Pages with examples, as paths from the repository's root. */
export const examplePages = (root: string): string[] => [
  'README.md',
  'docs/first-ten-minutes.md',
  'docs/ascend.md',
  'docs/neuron.md',
  ...readdirSync(join(root, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/guide/${name}`),
];

/** A folder with `dparse` and `dprof` as commands, to be put on the PATH. The caller removes it. */
export function toolsFolder(wordsOf: (tool: 'dparse' | 'dprof') => readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-examples-'));
  for (const tool of ['dparse', 'dprof'] as const) {
    const words = wordsOf(tool).map((word) => `'${word}'`);
    writeFileSync(join(folder, tool), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
    chmodSync(join(folder, tool), 0o755);
  }
  return folder;
}

/** Environment in which examples run: both tools on the PATH, all messages in English. */
export const exampleEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
  LC_ALL: 'C',
});

/** Runs every command and writes its output into its page. */
export function writeExamples(root: string): void {
  const folder = toolsFolder((tool) => [process.execPath, join(root, `bin/${tool}.js`)]);
  const options = { cwd: root, env: exampleEnvironment(folder), encoding: 'utf8' } as const;
  const run = (command: string): string =>
    execFileSync('sh', ['-c', command], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  for (const path of examplePages(root)) {
    const page = readFileSync(join(root, path), 'utf8');
    const written = page
      .replace(BLOCK, (_, command: string) => `\`\`\`console\n$ ${command}\n${run(command)}\`\`\``)
      .replace(PROGRAM, (_, code: string) => {
        const output = run(programCommand(root, folder, code));
        return `\`\`\`js\n${code}\`\`\`\n\n\`\`\`text\n${output}\`\`\``;
      });
    writeFileSync(join(root, path), written);
  }
  rmSync(folder, { recursive: true });
}
