/** Says what is being done, and how long it took once it is. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  process.stdout.write(`${title} ... `);
  try {
    const result = await work();
    console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    console.log("failed");
    throw error;
  }
}
