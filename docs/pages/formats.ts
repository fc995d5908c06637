/** docs/formats.md: what can be read, and what to do with what cannot. */
import type { Reader } from '../../src/parse/reader.js';
import { READERS } from '../../src/parse/registry.js';
import { UNREADABLE_DATABASES, UNREADABLE } from '../../src/parse/unreadable/unreadable.js';
import { DIAGNOSTICS } from '../../src/record/diagnostics.js';
import { code, list, NOTICE, page, table } from './markdown.js';

function format({ id, title, docs: { made, read } }: Reader): string {
  return [`### ${code(id)}: ${title}`, `Made by ${made.join('; or ')}.`, list(read)].join('\n\n');
}

export const formatsPage = (): string =>
  page(
    NOTICE,
    '# Formats',
    'What `dparse` reads. The format is detected by content, never by name; `--input-format ID` overrides it. Inputs are files, folders (all profiles in them), globs, or `-` for standard input, each also gzipped. A rank in the file name (`rank_3`, `_r3`, `.3.`) is taken for the rank of the process where the profile itself has none.',
    'Inputs are opened read-only; nothing is written next to them. What is compressed or comes from standard input is unpacked into the folder for temporary files (`TMPDIR`). How to record with each profiler: [record a profile](guide/record.md).',
    '## Read',
    ...READERS.map(format),
    '`dprof` also reads the `net.dict` of PyProf and PyProf2. It has no start times, processes, launches or copies, so the columns made of these are unknown. Lines of text among its kernels, which the scripts print of their progress or failure, are passed over and said. `dparse -f pyprof` writes one for scripts that read it, with its numbering of kernels (`subSeqId`) anew in every call, where PyProf counts on over calls that share a sequence id: a kernel is the first of its call at 0, which formulas rely on.',
    '## Recognised, and what to do',
    table(
      ['input', 'what to do'],
      [...UNREADABLE, ...UNREADABLE_DATABASES].map(({ title, hint }) => [title, hint]),
    ),
    '## What was odd',
    'No kernel is dropped because something is wrong with its row: the cell is unknown, and the end line of the records counts the reason under `diagnostics`. A loss is what the input has and could not be read, so that figures rest on a part of it: every command of `dprof` says it on stderr, also with `-q`, behind answers in text and Markdown, in JSON as `doubts`, and on the page. A doubt is what was read and may be otherwise; a note is as it should be.',
    table(
      ['name', 'severity', 'counts'],
      Object.entries(DIAGNOSTICS).map(([name, [severity, meaning]]) => [code(name), severity, meaning]),
    ),
  );

/** PyProf's output is read by `dprof` alone. */
const PYPROF = ['PyProf, PyProf2', '`net.dict` (`dparse -f pyprof` writes it)'];

/** README.md with its table of formats: a row for each profiler. */
export function withFormats(readme: string): string {
  const profilers = [...new Set(READERS.map(({ docs }) => docs.profiler))];
  const inputsOf = (profiler: string): string[] =>
    READERS.flatMap(({ docs }) => (docs.profiler === profiler ? [docs.input] : []));
  const rows = profilers.map((profiler) => [profiler, inputsOf(profiler).join(', ')]);
  const formats = table(['profiler', 'input'], [...rows, PYPROF]);
  return readme.replace(/(?<=^## Formats\n\n)(?:\|.*\n)+/m, () => `${formats.trimEnd()}\n`);
}
