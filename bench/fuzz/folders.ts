/** Inputs made of others: packed ones, archives, and folders with several profiles. */
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { tarOf } from '../../samples/programs/write-neff.js';
import type { Base, Files } from './input.js';

/** A file of some base. */
interface File {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The file that is read of a base. */
export function inputOf({ files, input }: Base): File {
  const bytes = files[input];
  if (bytes === undefined) throw new Error(`no file ${input}`);
  return { name: input, bytes };
}

const single = (reader: Base['reader'], name: string, bytes: Buffer): Base => ({
  reader,
  name,
  files: { [name]: bytes },
  input: name,
});

/** Each file compressed, and in two members too. */
export const packed = (reader: Base['reader'], files: readonly File[]): readonly Base[] =>
  files.flatMap(({ name, bytes }) => {
    const half = bytes.indexOf('\n', bytes.length / 2) + 1;
    const members = [bytes.subarray(0, half), bytes.subarray(half)].map((part) => gzipSync(part));
    return [
      single(reader, `${name}.gz`, gzipSync(bytes)),
      { ...single(reader, `${name}.gz`, Buffer.concat(members)), name: `${name}.gz in two members` },
    ];
  });

/** Archives, which are refused with a word on what to do. */
export function archives({ name, bytes }: File): readonly Base[] {
  const made: Readonly<Record<string, Buffer>> = {
    'stored.zip': Buffer.from(zipSync({ [name]: [bytes, { level: 0 }] })),
    'deflated.zip': Buffer.from(zipSync({ [name]: bytes, 'a/data.pkl': Buffer.from('x') })),
    'profile.tar': tarOf([{ name, data: bytes }]),
    'profile.tar.gz': gzipSync(tarOf([{ name, data: bytes }])),
    'twice.json.gz': gzipSync(gzipSync(bytes)),
  };
  return Object.entries(made).map(([each, data]) => single('archive', each, data));
}

const inFolder = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${folder}/${name}`, bytes]));

/** What folders of several profiles are made of. */
interface Parts {
  readonly nsight: Base;
  readonly kineto: Base;
  readonly neuron: Base;
  readonly ascend: Base;
  readonly others: readonly Base[];
}

/** Folders with profiles of several readers, of the ranks of a job, and of several captures. */
export function folders({ nsight, kineto, neuron, ascend, others }: Parts): readonly Base[] {
  const [rank, device] = [inputOf(kineto), inputOf(neuron)];
  const ofRanks = Object.fromEntries([0, 1, 2].map((n) => [`rank_${n}.json`, rank.bytes]));
  const [archive] = archives(rank);
  const made: Readonly<Record<string, Files>> = {
    'ranks, one of them compressed too': { ...ofRanks, 'rank_0.json.gz': gzipSync(rank.bytes) },
    'ranks of several readers': {
      'rank_0.json.gz': gzipSync(rank.bytes),
      'rank_1.sqlite': inputOf(nsight).bytes,
      ...inFolder('rank_2', neuron.files),
      ...archive?.files,
    },
    'captures of workers': {
      ...neuron.files,
      'profile_rank_1.ntff': device.bytes,
      ...inFolder('rank_2', neuron.files),
      ...Object.fromEntries(others.flatMap(({ files }) => Object.entries(files))),
    },
    'folders of ranks': { ...inFolder('rank_0', ascend.files), ...inFolder('rank_1', ascend.files) },
  };
  return Object.entries(made).map(([name, files]) => ({ reader: 'folder', name, files, input: '' }));
}
