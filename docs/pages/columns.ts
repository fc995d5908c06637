/** docs/columns.md: what a report can show. */
import { type ColumnShape } from '../../src/table/column.js';
import { COLUMNS, DEFAULT_COLUMNS } from '../../src/prof/columns/columns.js';
import { AGGREGATES, DEFAULT_AGGREGATES, TREE_AGGREGATES } from '../../src/prof/by/aggregates.js';
import { DEFAULT_HOST_COLUMNS, HOST_COLUMNS } from '../../src/prof/by/host/host-table-columns.js';
import { MOST_GROUPS } from '../../src/prof/by/groups.js';
import { DEVICES, type Rates } from '../../src/prof/roofline/devices.js';
import { LATENCY_SHARE } from '../../src/prof/roofline/roofline.js';
import { FORMATS } from '../../src/write/formats.js';
import { code, list, NOTICE, page, table } from './markdown.js';

const columns = (shown: readonly ColumnShape[]): string =>
  table(
    ['key', 'header', 'unit', 'width', 'meaning'],
    shown.map(({ key, header, unit, width, doc }) => [
      code(key),
      header,
      unit ?? '',
      width === 0 ? 'shared' : String(width),
      doc,
    ]),
  );

const tera = (rates: Rates): string =>
  Object.entries(rates)
    .map(([type, rate]) => `${type} ${Number((rate / 1e12).toFixed(1))}`)
    .join(', ') || '–';

const devices = (): string =>
  table(
    ['device', 'arch', 'GB/s', 'vector units', 'matrix unit', 'source'],
    DEVICES.map(({ name, arch, bytesPerS, vector, matrix, source }) => [
      name,
      arch,
      bytesPerS === null ? '–' : String(bytesPerS / 1e9),
      tera(vector),
      tera(matrix),
      source,
    ]),
  );

export const columnsPage = (): string =>
  page(
    NOTICE,
    '# Columns',
    `Choose columns with \`-c\`, comma-separated, in any order. Default: ${code(DEFAULT_COLUMNS)}.`,
    'The width is that of the columns format (`-w N`), in characters; columns of shared width divide the rest.',
    columns(COLUMNS),
    list([
      'Unknown values are `na` in text and `null` in JSON, never 0. An empty list is `-`, in JSON `[]`.',
      'List items are separated by commas, layers by `:`, calls and ranges by `>`.',
      'A backward kernel that has no call of its own takes op, module, calls, layer and trace from the forward kernel with the same sequence id. `fwd` is the innermost call of that kernel; where ops have sequence ids, it is the innermost call that has one.',
    ]),
    '## Groups',
    `With ${code('--by KEYS')} a row combines all kernels with equal values in these columns (any of the above). ${code('-c')} and ${code('--sort')} then take the keys and the columns below; a key hides the column of its name. ${code('--where')} filters kernels.`,
    columns(AGGREGATES),
    list([
      `Default: the keys, then ${code(DEFAULT_AGGREGATES)}; of a tree ${code(TREE_AGGREGATES)}. The keys come first unless ${code('-c')} names one of them. Rows with the largest total come first.`,
      'A sum of FLOPs or bytes covers the kernels for which they are known; a rate is that sum divided by the time of the same kernels. `known`, `knownbytes` and `tcknown` say how much of the time that is. Kernels of unknown duration are not in any group; a line on stderr counts them.',
      '`mean`, `median`, `min`, `max` and `stddev` are those of `nsys stats --report cuda_gpu_kern_sum`, with `--by long`.',
      "`--by inner` has the time of each op's own kernels, `--by op` that of the outermost op with all ops it calls.",
      `Lists are equal if all entries are equal; with ${code('--depth N')} if the first N entries are equal.`,
      `${code('--by layer')} is a tree: each layer includes all layers below it, down to ${code('--depth N')}. ${code('--tree')} makes a tree of other lists too (${code('trace')}, ${code('calls')}, ${code('ranges')}) and of several keys, each key one level below the previous; in a subtotal row, ${code('*')} marks a key whose values are all included. ${code('--no-tree')} gives layers without subtotals. In a tree, ${code('--sort')} and ${code('--top')} apply to rows with the same parent; ${code('own')} adds up to the whole.`,
      `At most ${MOST_GROUPS.toLocaleString('en-US')} groups.`,
    ]),
    '## The host by name',
    `With ${code('--by range')}, ${code('--by hostop')} or ${code('--by api')} alone, a row combines all annotations and layers, ops, or calls (to the device runtime and to system libraries) with the same name. The name comes first, then ${code(DEFAULT_HOST_COLUMNS)}; rows with the largest ${code('host')} come first. ${code('--where')}, ${code('--tree')} and ${code('--depth')} apply to kernels.`,
    columns(HOST_COLUMNS),
    "Examples: `--by op,dir --sort -count`, `--by layer --depth 2 -f table`, `--by kernel --where 'tc==0' --top 10`.",
    '## One op, several kernels',
    'Where the format identifies the kernels of one call (PyTorch traces, shapes in NVTX ranges), the work of the call is attributed once: to the kernel that does it, judged by name and longest time; to several kernels of the same name by their times; a gradient of a convolution to the kernel named after it. Ops made of several products (attention, experts, a recurrent layer) distribute their work over them by their times. Helper kernels (layout changes, split-K sums, fills) have the role `helper` and no FLOPs or bytes. A kernel whose name shows that it is a product is never a helper. Any other product has unknown FLOPs and bytes, because the arguments of the call do not determine its work. If the work of the whole call is unknown, all kernels except helpers have unknown FLOPs and bytes. If a call of one product launched products of three or more names, a library was choosing an algorithm (`cudnn.benchmark`, autotuning). The last product is the chosen one. The products before it have the role `trial` and 0 FLOPs. This holds for the calls of PyProf markers too, by their sequence ids.',
    '## Roofline',
    list([
      `Rates are FLOPs and bytes over the time of the kernel. ${code('peak')} is the share of the device's peak for the type: of the matrix unit where ${code('tc')} is 1, of the vector units where it is 0, unknown where it is \`?\`. Elementwise work in 16 bits is compared with the FP32 rate.`,
      `${code('bw')} is the share of the memory's bandwidth. Bytes are the minimum that the op needs. Operands that the previous kernel left in the cache can be read faster than from memory.`,
      `${code('bound')} is the larger of the two shares; \`latency\` when both are below ${LATENCY_SHARE} %: the kernel is too small to fill the device, and many such kernels in a row are called launch-bound.`,
      `${code('floor')} is the minimum time that the device needs, ${code('gap')} the kernel's time divided by it.`,
      `\`!\` stands for a rate that the device cannot reach: above its peak FLOP/s (unless the kernel is part of a Winograd or FFT algorithm, which does fewer FLOPs than are counted), or more bytes than memory and twice the cache can move. The counts are then wrong, and a line on stderr names the first kernels. CSV and JSON keep the number.`,
      'A collective operation waits for other devices: it has rates, but neither share of a peak nor bound nor floor.',
      `Peaks come from the table of ${code('dprof --devices')} by the device's name, else by a formula from units and clock where the profile has them, else from ${code('--peaks NAME|FILE')}.`,
    ]),
    '## Devices',
    'Dense rates, in TFLOP/s (TOP/s for int8).',
    devices(),
    '## Formats',
    table(
      ['format', 'what it is'],
      FORMATS.map(({ id, title }) => [code(id), title]),
    ),
    'Without `-w`, `--csv` or `--format` the format is `space`; `-w N` asks for `columns`. csv, space and json print numbers in full; the columns format prints a number that does not fit with an exponent. Columns that do not fit into N are left out and named on stderr: the default columns need 74.',
    '## Filters',
    '`--where EXPR` shows only the kernels that match EXPR:',
    list([
      '`column==value`, `!=`, `>`, `>=`, `<`, `<=` compare; `column~text` matches if the column contains the text (ignoring case), `!~` if it does not; `column=~pattern` matches if the whole text matches a pattern with the wildcards `*` and `?`.',
      '`&&` or `,` joins conditions that must all hold, `||` alternatives; parentheses group. Quote a value with blanks or signs.',
      'A list equals its text or any of its entries. Unknown values match only `==na`. Nothing is evaluated.',
    ]),
    "Examples: `--where 'op==conv2d && sil>10000'`, `--where 'layer~encoder, tc==0'`, `--where 'dir==bprop || flops==na'`.",
  );
