/** The reader of programs: real ones against what the vendor's tool says of them, and small ones with one oddity each. */
import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { checkProfile, readProfile } from '../../../../src/parse/profile.js';
import { parseHeader } from '../../../../src/parse/readers/neuron/neff/neff-header.js';
import { readNeff } from '../../../../src/parse/readers/neuron/neff/read-program.js';
import { Diagnostics } from '../../../../src/record/diagnostics.js';
import { UserError } from '../../../../src/record/errors.js';
import { entriesOf, headerBytes, neffBytes, PARTS, tarOf, UUID, type TarEntry } from '../../../support/neff.js';
import { freshPath } from '../../../support/fresh-path.js';
import { itShared } from '../../../support/shared.js';

const write = (bytes: Buffer | string, ending = '.neff'): string => {
  const path = freshPath(ending);
  writeFileSync(path, bytes);
  return path;
};

/** A program, and its diagnostics. */
function read(bytes: Buffer): { names: string[]; facts: object; uuid: string; odd: object } {
  const diagnostics = new Diagnostics();
  const { tensors, facts, uuid } = readNeff(write(bytes), 'a.neff', diagnostics);
  return { names: tensors.map(({ name }) => name), facts, uuid, odd: diagnostics.toJSON() };
}

const TENSORS = ['x', 'y', 'w_sg0000'];
const without = (name: string): TarEntry[] => entriesOf().filter((entry) => entry.name !== name);
const replaced = (name: string, data: string): TarEntry[] => [...without(name), { name, data }];

/** The one line with which a file is refused. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError) return error.line;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('NEFF reader', () => {
  it('gives facts and tensors, each tensor once', () => {
    const lines = [...readProfile(write(neffBytes()), { profile: 3, name: 'dir/small.neff' })];
    expect(lines).to.deep.equal([
      {
        type: 'profile',
        v: 1,
        profile: 3,
        format: 'neff',
        tool: 'neuronx-cc 2.0.1+abc',
        file: 'small.neff',
        rank: null,
        startUnixNs: null,
        dur: null,
        devices: [],
        facts: {
          model: 'small.neff',
          uuid: UUID,
          compilerVersion: '2.0.1+abc',
          target: 'cayman',
          logicalCores: 1,
          lncSize: 2,
          packageVersion: 2,
          neffVersion: '2.1',
          features: 'virtual-core, v3-2x-4x-dve-perf-mode',
          hash: '0123456789abcdef0123456789abcdef',
          headerBytes: 1024,
          dataBytes: 10_240,
        },
      },
      { type: 'tensor', profile: 3, name: 'x', role: 'input', dtype: 'bfloat16', shape: [8, 64], bytes: 1024 },
      { type: 'tensor', profile: 3, name: 'y', role: 'output', dtype: 'float32', shape: [128], bytes: 512 },
      { type: 'tensor', profile: 3, name: 'w_sg0000', role: 'weight', dtype: 'float32', shape: [512], bytes: 2048 },
      { type: 'end', profile: 3, counts: { tensor: 3 }, diagnostics: {} },
    ]);
  });

  it('takes tensors of several subgraphs together, in whatever folder they are', () => {
    const second = [
      { name: 'sg01/def.json', data: JSON.stringify({ var: { x: { type: 'input', size: 1 }, z: { type: 'input' } } }) },
      { name: './sgLnk/sg01/tensor_map.json', data: JSON.stringify({ z: { dtype: 'int32', sim_shape: [] } }) },
      { name: 'kelf-0.json', data: '{"graphs":[{"name":"sg00"},{"definition":"sg01/def.json"}]}' },
    ];
    const { names, odd } = read(neffBytes([...without('kelf-0.json'), ...second]));
    expect(names).to.deep.equal(['x', 'z', 'y', 'w_sg0000']);
    expect(odd).to.deep.equal({});
  });

  it('reads an archive that is not packed, one without a header, and files packed once more', () => {
    const tar = tarOf(entriesOf());
    const whole = { names: TENSORS, uuid: UUID, odd: {} };
    expect(read(Buffer.concat([headerBytes({ dataSize: BigInt(tar.length) }), tar]))).to.deep.include(whole);
    expect(read(gzipSync(neffBytes()))).to.deep.include(whole);
    for (const bare of [tar, gzipSync(tar)]) {
      const { names, uuid, facts, odd } = read(bare);
      expect({ names, uuid, odd }).to.deep.equal({ names: TENSORS, uuid: '', odd: {} });
      expect(facts).to.deep.equal({ model: 'small.neff', compilerVersion: '2.0.1+abc', target: 'cayman' });
    }
  });

  it('reads a header of another size', () => {
    const tar = tarOf(entriesOf());
    const header = headerBytes({ headerSize: 2048n, dataSize: BigInt(tar.length) });
    const longer = Buffer.concat([header, Buffer.alloc(1024), tar]);
    expect(read(longer)).to.deep.include({ names: TENSORS, odd: {} });
  });

  it('knows what it can of optimised programs, which have no tensor maps', () => {
    const nodes = {
      nodes: [{ output_names: ['x'] }, { output_names: ['y', 'y'] }],
      attrs: { shape: ['list_shape', [[8, 64], [128], [128]]], dltype: ['list_str', ['bfloat16', 'float32', 'int8']] },
    };
    const entries = [...without('sg00/tensor_map.json'), { name: 'neff.json', data: JSON.stringify(nodes) }];
    const diagnostics = new Diagnostics();
    const { tensors } = readNeff(write(neffBytes(entries)), 'a.neff', diagnostics);
    expect(tensors.map(({ name, shape, dtype }) => [name, shape, dtype])).to.deep.equal([
      ['x', [8, 64], 'bfloat16'],
      ['y', [128], 'int8'],
      ['w_sg0000', null, null],
    ]);
    expect(diagnostics.toJSON()).to.deep.equal({ 'program-part-missing': 1 });
  });

  it('does with tensor maps alone', () => {
    const { names, odd } = read(neffBytes(without('sg00/def.json')));
    expect(names).to.deep.equal(['x', 'y', 'sg0000_w']);
    expect(odd).to.deep.equal({ 'program-part-missing': 1 });
  });

  it('skips parts that are no JSON objects, and keeps the rest', () => {
    const { names, facts, odd } = read(neffBytes(replaced('info.json', '{"tool_version":')));
    expect(names).to.deep.equal(TENSORS);
    expect(facts).not.to.have.property('compilerVersion');
    expect(odd).to.deep.equal({ 'program-part-broken': 1, 'program-part-missing': 1 });
  });

  it('parses no texts that would fill the memory', () => {
    const large = { name: 'sg01/def.json', data: Buffer.alloc(17 * 1024 * 1024, ' ') };
    const deep = { name: 'sg02/def.json', data: '['.repeat(1_000_001) };
    const { names, odd } = read(neffBytes([large, deep, ...entriesOf()]));
    expect({ names, odd }).to.deep.equal({ names: TENSORS, odd: { 'program-too-large': 1, 'program-part-broken': 1 } });
  });

  it('takes values of a wrong type for unknown', () => {
    const parts = {
      ...PARTS,
      'info.json': { tool_version: 2, name: ['x'] },
      'kelf-0.json': { graphs: [7, null, { name: 'sg00' }], target: {} },
      'sg00/def.json': { dma_queue: [], var: { x: { type: 'input', size: -1 }, y: 3, z: { type: {}, size: 1e300 } } },
      'sg00/tensor_map.json': { x: { dtype: 1, sim_shape: [1, 'a'], tf_shape: [2.5] }, y: null },
    };
    const diagnostics = new Diagnostics();
    const program = readNeff(write(neffBytes(entriesOf(parts))), 'a.neff', diagnostics);
    expect(program.tensors).to.deep.equal([{ name: 'x', role: 'input', dtype: null, shape: null, bytes: null }]);
    expect(program.facts).not.to.have.any.keys('compilerVersion', 'target');
    expect(diagnostics.toJSON()).to.deep.equal({});
  });

  it('does not leak the folder in which a program was compiled', () => {
    expect(read(neffBytes(entriesOf(), { name: '/home/someone/cache/net.neff' })).facts).to.include({
      model: 'net.neff',
    });
  });

  it('names feature bits, known or not, and leaves out what old headers have not', () => {
    const { facts } = read(neffBytes(entriesOf(), { features: (1n << 63n) | 0b1001n, coresPerLogical: 0 }));
    expect(facts).to.include({ features: 'bin-weights, coalesced-cc, bit 63' });
    expect(facts).not.to.have.property('lncSize');
  });

  it('keeps the part before the end of a truncated file', () => {
    const bytes = neffBytes([
      ...without('sg00/tensor_map.json'),
      { name: 'noise', data: Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * i * 7919) >> 5)) },
      ...entriesOf().filter(({ name }) => name === 'sg00/tensor_map.json'),
    ]);
    const { names, odd } = read(bytes.subarray(0, 1024 + 2000));
    expect({ names, odd }).to.deep.equal({ names: TENSORS, odd: { 'truncated-input': 1 } });
    // Behind all that is needed, where the header states the size.
    expect(read(neffBytes().subarray(0, -1))).to.deep.include({ names: TENSORS, odd: { 'truncated-input': 1 } });
    const onlyHeader = read(headerBytes());
    expect(onlyHeader).to.deep.include({ names: [], uuid: UUID, odd: { 'truncated-input': 1 } });
  });

  it('says that an archive is damaged', () => {
    const tar = tarOf(entriesOf());
    tar[512 * 2 + 3] = 0xff;
    const { facts, odd } = read(Buffer.concat([headerBytes(), tar]));
    expect(facts).to.include({ compilerVersion: '2.0.1+abc' });
    expect(odd).to.deep.equal({ 'program-damaged': 1 });
    expect(read(Buffer.concat([headerBytes(), Buffer.alloc(4096, 'x')])).odd).to.deep.equal({ 'program-damaged': 1 });
  });

  it('refuses what is no NEFF', () => {
    const noNeff = 'a.neff: is not a NEFF (give the .neff that the compiler or the capture wrote)';
    const others = ['text', Buffer.alloc(0), Buffer.alloc(5000), gzipSync('text'), tarOf([{ name: 'a', data: 'b' }])];
    for (const other of others) {
      expect(refusal(() => readNeff(write(other), 'a.neff', new Diagnostics()))).to.equal(noNeff);
    }
    expect(refusal(() => readNeff('/no/such.neff', 'no.neff', new Diagnostics()))).to.equal('no.neff: no such file');
  });
});

describe('recognition of NEFFs', () => {
  const isTaken = (bytes: Buffer): boolean => {
    try {
      checkProfile(write(bytes, '.bin'), 'unknown');
      return true;
    } catch (error) {
      if (error instanceof UserError) return false;
      throw error;
    }
  };
  const tar = tarOf(entriesOf());

  it('goes by content, cut off or not', () => {
    const whole = neffBytes();
    const inputs = [
      whole,
      whole.subarray(0, 1040),
      headerBytes(),
      Buffer.concat([headerBytes(), tar]),
      tar,
      gzipSync(tar),
    ];
    for (const input of inputs) expect(isTaken(input)).to.equal(true);
  });

  it('leaves other archives and binary files alone', () => {
    const other = tarOf([{ name: 'info.json', data: '{}' }]);
    const inputs = [
      other,
      gzipSync(other),
      tarOf([]),
      headerBytes().subarray(0, 1000),
      Buffer.concat([headerBytes({ packageVersion: 0n }), tar]),
      Buffer.concat([headerBytes({ packageVersion: 1n << 40n }), tar]),
      Buffer.concat([headerBytes({ headerSize: 8n }), tar]),
      Buffer.concat([headerBytes({ headerSize: 1n << 62n }), tar]),
      Buffer.concat([headerBytes({ dataSize: (1n << 64n) - 1n }), tar]),
      Buffer.concat([headerBytes(), Buffer.alloc(2048)]),
      Buffer.concat([headerBytes(), other.subarray(0, 400)]),
    ];
    for (const input of inputs) expect(isTaken(input)).to.equal(false);
  });
});

const CAPTURES = [
  'baseline_bf16_s1024',
  'baseline_fp32_s512',
  'fused_bf16_s1024',
  'fused_bf16_s512',
  'fused_fp32_s512',
];

interface VendorJson {
  readonly summary: readonly [Readonly<Record<string, unknown>>];
  readonly neff_header: readonly [Readonly<Record<string, string>>];
  readonly neff_node: readonly Readonly<Record<string, string>>[];
}

function vendorJson(folder: string): VendorJson {
  const file = readdirSync(folder).find((name) => /\.json(?:\.gz)?$/.test(name)) ?? '';
  const bytes = readFileSync(join(folder, file));
  return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as VendorJson;
}

const neffIn = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.neff')) ?? '');

const VENDOR_ROLES: Readonly<Record<string, string>> = { input: 'IN', output: 'OUT', weight: 'WEIGHT' };

describe('real NEFFs', () => {
  for (const capture of CAPTURES) {
    const shared = [`data/neuron/trn2_${capture}`];

    itShared(`has the header of ${capture} as the vendor's tool has it`, shared, ([folder = '']) => {
      const header = parseHeader(readFileSync(neffIn(folder)));
      expect({
        package_version: String(header?.packageVersion),
        header_size: String(header?.headerSize),
        data_size: String(header?.dataSize),
        major_version: String(header?.major),
        minor_version: String(header?.minor),
        build_version: header?.buildVersion,
        number_of_logical_neuroncores: String(header?.logicalCores),
        number_of_neuroncores_per_lnc: String(header?.coresPerLogical),
        hash: header?.hash,
        uuid: header?.uuid,
        network_name: header?.name,
        enabled_features: header?.features.join(', '),
      }).to.deep.equal(vendorJson(folder).neff_header[0]);
    });

    itShared(
      `has the tensors and the compiler of ${capture} as the vendor's tool has them`,
      shared,
      ([folder = '']) => {
        const diagnostics = new Diagnostics();
        const { tensors, facts } = readNeff(neffIn(folder), 'a.neff', diagnostics);
        const vendor = vendorJson(folder);
        const nodes = vendor.neff_node.filter((node) => node.variable_name !== '');
        expect(nodes).to.have.length.above(4);
        expect(
          tensors.map(({ name, role, shape, bytes }) => ({
            variable_name: name,
            type: VENDOR_ROLES[role ?? ''],
            shape: `[${shape?.join(' ') ?? ''}]`,
            size: String(bytes),
          })),
        ).to.deep.equal(nodes.map(({ variable_name, type, shape, size }) => ({ variable_name, type, shape, size })));
        // The tool's JSON has no element types; they follow from sizes.
        const bytesOf: Readonly<Record<string, number>> = { bfloat16: 2, float32: 4 };
        for (const { shape, dtype, bytes } of tensors) {
          expect((shape ?? []).reduce((a, b) => a * b, bytesOf[dtype ?? ''] ?? 0)).to.equal(bytes);
        }
        expect(facts.compilerVersion).to.equal(vendor.summary[0].compiler_version);
        expect(facts.target).to.equal('cayman');
        expect(diagnostics.toJSON()).to.deep.equal({});
      },
    );
  }
});
