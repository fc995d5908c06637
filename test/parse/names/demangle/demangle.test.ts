import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { demangle } from '../../../../src/parse/names/demangle/demangle.js';
import { shortName } from '../../../../src/parse/names/kernel-name.js';
import { isDict, parseLiteral } from '../../../../src/record/python/python-literal.js';
import { itShared } from '../../../support/shared.js';
import { propertyRuns } from '../../../support/property-runs.js';

/** Mangled names in a database's table of strings. */
function mangledNames(path: string, table: string): string[] {
  const db = new Database(path, { readonly: true });
  const rows = db.prepare<[], { value: string }>(`SELECT value FROM ${table} WHERE value GLOB '_Z*'`).all();
  db.close();
  return rows.map(({ value }) => value);
}

const NVPROF = ['nvprof/lm_v100.net.sql', 'nvprof/nccl_8v100.nvvp', 'pyprof/nvprof_1000.sql'].map(
  (file) => `data/${file}`,
);
const NSIGHT = [
  'nsys/cuda_graph_rtx3060.sqlite',
  'nsys/fsdp_2proc.sqlite',
  'nsys/h100_2gpu_orphans.sqlite',
  'nsys/many_kernels_no_nvtx.sqlite',
  'nsys/nvfuser_h200.sqlite',
  'nsys/rtx3080_with_target_info.sqlite',
  'nsys/saxpy_double_runtime_rows.sqlite',
  'nsys/vsr_a100_pyprof.sqlite',
  'pyprof/nsys_1000.sqlite',
].map((file) => `data/${file}`);

describe('demangle', () => {
  it('leaves names alone that are not mangled', () => {
    for (const name of ['', 'volta_sgemm_128x64_nn', '_', 'Z1f', 'void f(int)']) expect(demangle(name)).to.equal(name);
  });

  // Expected: what GNU c++filt 2.40 prints.
  const cases: Record<string, [string, string][]> = {
    'names and types': [
      ['_Z1fv', 'f()'],
      ['_ZN3foo3barE', 'foo::bar'],
      ['_Z7add_onePKfPfi', 'add_one(float const*, float*, int)'],
      ['_Z1fRKiOiPVc', 'f(int const&, int&&, char volatile*)'],
      ['_Z1fPFvvEPA3_A4_iM1AiM1AKFviE', 'f(void (*)(), int (*) [3][4], int A::*, void (A::*)(int) const)'],
      ['_Z1fPFPFvcEiE', 'f(void (*(*)(int))(char))'],
      ['_Z1fPU3AS3iDv4_fDhDF16_', 'f(int AS3*, float __vector(4), half, _Float16)'],
      ['_ZN12_GLOBAL__N_16kernelEPf', '(anonymous namespace)::kernel(float*)'],
      ['_ZNK1A1fEv', 'A::f() const'],
      ['_ZNR1A1fEv', 'A::f() &'],
      ['_ZN1AC1Ev', 'A::A()'],
      ['_ZN1AIiED0Ev', 'A<int>::~A()'],
      ['_ZN1AcviEv', 'A::operator int()'],
      ['_Z3barB5cxx11v', 'bar[abi:cxx11]()'],
      ['_Z3foov.kd', 'foo() [clone .kd]'],
      [`_Z3foov${'.1'.repeat(3)}`, 'foo() [clone .1.1.1]'],
      ['_Z3foov.isra.0.kd.12', 'foo() [clone .isra.0] [clone .kd.12]'],
      ['_ZZ3foovE1x_0', 'foo()::x'],
    ],
    'templates and their parameters': [
      ['_Z1fIiEvT_', 'void f<int>(int)'],
      ['_ZN7cutlass7Kernel2I3abcEEvNT_6ParamsE', 'void cutlass::Kernel2<abc>(abc::Params)'],
      ['_ZN1A1fI1BIiEEEvT_', 'void A::f<B<int> >(B<int>)'],
      ['_Z1fIRiEvOT_', 'void f<int&>(int&)'],
      ['_Z1fIKhEvPKT_', 'void f<unsigned char const>(unsigned char const*)'],
      ['_Z1fIA8_cEvRKT_', 'void f<char [8]>(char const (&) [8])'],
      ['_Z1fIJifEEvDpRKT_', 'void f<int, float>(int const&, float const&)'],
      ['_Z1fIiJEEvv', 'void f<int>()'],
      ['_Z1fIPFviEEvv', 'void f<void (*)(int)>()'],
      // What clang writes since 18 where the type of a value depends on another parameter.
      [
        '_ZN1a1kIN1c1HETnPFT_RKS3_EXadL_ZNS_1sIS2_EES3_S5_EEEEvPKS2_',
        'void a::k<c::H, &(c::H a::s<c::H>(c::H const&))>(c::H const*)',
      ],
      ['_Z1fIiTnT_Li3EEvv', 'void f<int, 3>()'],
      ['_ZN1alsIiEERNS_1bES2_T_', 'a::b& a::operator<< <int>(a::b&, int)'],
    ],
    'literals and expressions': [
      ['_Z1fILi3ELj4ELl5ELm6ELx7ELy8EEvv', 'void f<3, 4u, 5l, 6ul, 7ll, 8ull>()'],
      ['_Z1fILin5ELb1ELc65ELf3f800000E1AEvv', 'void f<-5, true, (char)65, (float)[3f800000], A>()'],
      ['_Z1fIL21cudnnKernelDataType_t2EEvv', 'void f<(cudnnKernelDataType_t)2>()'],
      ['_Z1fIXadL_Z1gIiEvT_EEEvv', 'void f<&(void g<int>(int))>()'],
      ['_Z1fILb0EENSt9enable_ifIXntT_EvE4typeEv', 'std::enable_if<!(false), void>::type f<false>()'],
      ['_Z1fILi3EEvN1AIXquT_Li1ELi2EEEE', 'void f<3>(A<(3)?(1) : (2)>)'],
      ['_Z1fIiEvN1AIXgtstT_Li4EEEE', 'void f<int>(A<((sizeof (int))>(4))>)'],
      ['_Z1fIJiiiEEvN1AIXsZT_EEE', 'void f<int, int, int>(A<3>)'],
      ['_Z1fIiEDTcl1gfp_EET_', 'decltype (g({parm#1})) f<int>(int)'],
    ],
    lambdas: [
      ['_ZZ3foovENKUlvE_clEv', 'foo()::{lambda()#1}::operator()() const'],
      [
        '_Z1gIZ3fooIiEvT_EUlifE0_EvS1_',
        'void g<foo<int>(int)::{lambda(int, float)#2}>(foo<int>(int)::{lambda(int, float)#2})',
      ],
      ['_Z1fIZ3foovEUt_EvT_', 'void f<foo()::{unnamed type#1}>(foo()::{unnamed type#1})'],
      ['_Z1gIZ3foovEUlT_E_Evv', 'void g<foo()::{lambda(auto:1)#1}>()'],
    ],
  };
  for (const [title, pairs] of Object.entries(cases)) {
    describe(title, () => {
      for (const [name, text] of pairs) it(text, () => expect(demangle(name)).to.equal(text));
    });
  }

  describe('gives up, and says so', () => {
    for (const name of [
      '_Z',
      '_ZE',
      '_Z100f',
      '_Z1f',
      '_Z1fS_',
      '_Z1fIiEvT0_',
      '_Z1fvE',
      '_Z1fv junk',
      '_ZTV3foo',
      '_Z1fILiEEvv',
      '_ZN1ALC1Ev',
      '_ZNSdC1Ev',
      `_Z1f${'P'.repeat(60_000)}i`,
      `_ZN${'1a'.repeat(30_000)}E`,
      `_Z${'Z'.repeat(20_000)}1fv`,
      `_Z1f${'1aI'.repeat(10_000)}i`,
      `_Z1fv${'.'.repeat(50_000)}`,
    ]) {
      it(name.slice(0, 40), () => expect(demangle(name)).to.equal(name === '_Z1f' ? 'f' : null));
    }

    it('refuses short names that expand to huge ones', () => {
      const reference = (i: number) => (i === 0 ? 'S_' : `S${(i - 1).toString(36).toUpperCase()}_`);
      let doubling = '_Z1fPFviE';
      for (let i = 1; i < 100; i++) doubling += `PF${reference(i).repeat(3)}E`;
      expect(demangle(doubling)).to.equal(null);
      let deepening = '_Z1fPi';
      for (let i = 0; i < 9000; i++) deepening += `P${reference(i)}`;
      expect(demangle(deepening)).to.equal(null);
    });
  });

  it('gives a text or null for any name, and the same again', () => {
    const token = fc.constantFrom(
      ...'0123456789_ESTNZIJLXvifPRKODptUlC'.split(''),
      '1f',
      '3foo',
      'Li3E',
      'T_',
      'S_',
      'EE',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        const name = `_Z${tokens.join('')}`;
        const text = demangle(name);
        expect(text === null || text.length > 0).to.equal(true);
        expect(demangle(name)).to.equal(text);
      }),
      { numRuns: propertyRuns(750) },
    );
  });

  itShared(
    'equals kLongName for every kernel of a real run, but for names that PyProf got wrong',
    ['data/nvprof/lm_v100.net.sql', 'data/nvprof/lm_v100.net.dict'],
    ([database = '', dict = '']) => {
      const db = new Database(database, { readonly: true });
      const kernels = db
        .prepare<[], { name: string }>(
          `SELECT s.value AS name FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL k JOIN StringTable s ON s._id_ = k.name
           ORDER BY k._id_`,
        )
        .all();
      db.close();
      const lines = readFileSync(dict, 'utf8').trim().split('\n');
      expect(kernels).to.have.length(lines.length);
      const different = new Set<string>();
      kernels.forEach(({ name }, i) => {
        const record = parseLiteral(lines[i] ?? '');
        if (!isDict(record)) throw new Error(`not a dict: ${lines[i] ?? ''}`);
        const text = demangle(name) ?? '';
        if (text !== record['kLongName']) different.add(name);
        expect(shortName(text)).to.equal(record['kShortName']);
      });
      // There, substitutions after a lambda are off by one, which makes a template of a namespace:
      // `at::cuda::detail<float, at::cuda::detail::TensorInfo>` for `at::cuda::detail::TensorInfo<float, unsigned int>`.
      const miscounted =
        /mul_kernel_cuda.*gpu_kernel_with_scalars|gpu_kernel_with_scalars.*mul_kernel_cuda|masked_scale_kernel/;
      expect(different).to.have.length(3);
      for (const name of different) expect(name).to.match(miscounted);
    },
  );

  for (const file of NSIGHT) {
    itShared(`names the same kernels as Nsight does in ${file}`, [file], ([path = '']) => {
      const db = new Database(path, { readonly: true });
      const pairs = db
        .prepare<[], { mangled: string; demangled: string }>(
          `SELECT DISTINCT m.value AS mangled, d.value AS demangled FROM CUPTI_ACTIVITY_KIND_KERNEL k
           JOIN StringIds m ON m.id = k.mangledName JOIN StringIds d ON d.id = k.demangledName`,
        )
        .all();
      db.close();
      expect(pairs).not.to.have.length(0);
      for (const { mangled, demangled } of pairs) {
        const text = demangle(mangled);
        expect(text, mangled).not.to.equal(null);
        expect(shortName(text ?? '')).to.equal(shortName(demangled));
      }
    });
  }

  it('takes linear time for suffixes that end in none', () => {
    expect(demangle(`_Z1fv${'.1'.repeat(100_000)}!`)).to.equal(null);
  });

  for (const file of [...NVPROF, ...NSIGHT]) {
    itShared(`equals GNU c++filt for every name in ${file} (skipped without c++filt)`, [file], function ([path = '']) {
      const names = mangledNames(path, file.includes('nvprof') ? 'StringTable' : 'StringIds');
      expect(names).not.to.have.length(0);
      const filtered = spawnSync('c++filt', { input: names.join('\n'), encoding: 'utf8' });
      if (filtered.status !== 0) this.skip();
      expect(names.map(demangle)).to.deep.equal(filtered.stdout.trimEnd().split('\n'));
    });
  }
});
