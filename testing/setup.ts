/** Property tests draw the same values for the same tree. `FAST_CHECK_SEED=7 npx vitest run FILE` draws others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });
