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
    '`dparse` reads the formats below. The format is detected by content, never by name; `--input-format ID` overrides it. Inputs are files, folders (all profiles in them), globs, or `-` for standard input, each also compressed with gzip, zstd, xz or bzip2, once or twice. A zip or tar archive (`.zip`, `.tar`, `.tar.gz`, `.tar.zst` …) is read as the folder that was packed; archives inside folders are not searched. Data that unpack to more than 1000 times their size are refused. A rank in the file name (`rank_3`, `_r3`, `.3.`) is the rank of the process if the profile itself has none.',
    'Inputs are opened read-only; nothing is written next to them. Compressed input and standard input are unpacked into the folder for temporary files (`TMPDIR`); rows of a profile beyond 100 MB wait there too, if it has room. How to record with each profiler: [record a profile](guide/record.md).',
    '## Read',
    ...READERS.map(format),
    '`dprof` also reads the `net.dict` of PyProf and PyProf2. It has no start times, processes, launches or copies, so columns that need them are unknown. Lines of text between its kernels, in which the scripts report progress or failure, are skipped and reported. `dparse -f pyprof` writes one for scripts that read it, but numbers kernels (`subSeqId`) from 0 in every call, because formulas rely on that; PyProf continues over calls that share a sequence id.',
    '## Recognised, and what to do',
    table(
      ['input', 'what to do'],
      [...UNREADABLE, ...UNREADABLE_DATABASES].map(({ title, hint }) => [title, hint]),
    ),
    '## What was odd',
    'A kernel is never dropped because of a bad row: the cell is unknown, and the end line of the records counts the reason under `diagnostics`. A loss is input data that could not be read, or work that the profiler lost, so figures are incomplete. Every command of `dprof` reports losses on stderr (also with `-q`), after answers in text and Markdown, in JSON as `doubts`, and on the page. A doubt is data that was read but may be wrong. Answers in text, Markdown and JSON and the page report doubts in the same way. A limit means that some questions have no answer. A note does not affect figures. `dprof check` shows what each of them affects.',
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
