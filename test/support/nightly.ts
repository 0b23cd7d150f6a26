export const isNightly = process.env.IMAGECREW_TEST_NIGHTLY === 'true';

/**
 * The reason to skip a test that takes longer than `npm test` has time for, or false in `npm run test:nightly`:
 * `it('…', { skip: nightlyOnly }, …)`. If it is true of every test of a file, the file is a `*.nightly.test.ts`.
 */
export const nightlyOnly: string | false = !isNightly && 'runs in npm run test:nightly';
