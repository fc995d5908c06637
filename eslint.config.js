import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'build/**', 'coverage/**', 'node_modules/**'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/prefer-nullish-coalescing': 'error',
    },
  },
  {
    // Names and texts of a profile are of any length: no expression may take more than linear time.
    ignores: ['test/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    // Lists of a profile are of any length, and a call takes its arguments from the stack: containers/lists.ts instead.
    files: ['src/**/*.ts'],
    ignores: ['src/page/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        'CallExpression[callee.object.name="Math"] > SpreadElement',
        'CallExpression[callee.object.name="String"] > SpreadElement',
        'CallExpression[callee.property.name=/^(push|unshift|splice|apply)$/] > SpreadElement',
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['Buffer', 'URL', 'console', 'performance', 'process', 'setTimeout'].map((name) => [name, 'readonly']),
      ),
    },
  },
);
