// Ends with 0 when questions can be answered: the HEALTHCHECK of an image that has no shell.
const url = `http://127.0.0.1:${process.env.PORT || 3001}/api/health/ready`;
const status = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.status,
  () => undefined,
);
process.exit(status === 200 ? 0 : 1);
