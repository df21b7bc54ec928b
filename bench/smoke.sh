#!/usr/bin/env bash
# The benchmark once, tiny: results are verified, the JSON is read, the table has rows.
#   smoke.sh SPBLAS BENCH COMPARE
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" gen knn --rows 300 --degree 6 --out "$folder/knn.mtx.gz" >/dev/null
"$1" gen banded --rows 200 --window 3 --out "$folder/banded.mtx" >/dev/null
"$2" --tiny --rounds 2 --batch 0.0001 --no-limits --out "$folder/out.json" \
    --peers naive,ours-direct,ours-plan,ours-frozen \
    --plan "(plan spmm (part csr) (tile 8))" \
    "$folder/knn.mtx.gz" "$folder/banded.mtx"
python3 "$3" --markdown "$folder/out.md" "$folder/out.json" >"$folder/means"
grep -q '^| knn | spmm 7 f32 |' "$folder/out.md"
[ "$(grep -c '^| spm[vm] \|^| sddmm ' "$folder/means")" = 4 ]
python3 "$(dirname "$3")/overview.py" "$folder/page.md" smoke 0 "$folder/out.json" >/dev/null
grep -q '^| sddmm 5 | f32 | 2 | 2 | ' "$folder/page.md"
"$2" --tiny --near --rounds 1 --batch 0.0001 --no-limits --out "$folder/near-2.json" \
    --peers naive,ours-direct "$folder/knn.mtx.gz" "$folder/banded.mtx" 2>/dev/null
python3 "$(dirname "$3")/overview.py" "$folder/page.md" smoke 0 "$folder/out.json" "$folder/near-2.json" >/dev/null
grep -q '^| sddmm 5 | f32 | 2 | 2 | \([0-9.]* | \)\{5\}' "$folder/page.md"
! "$2" --near --transposed "$folder/banded.mtx" >/dev/null 2>&1
for more in "--transposed --type f32" "--transposed --columns --op spmm --type f64" "--type c32,bf16"; do
    # shellcheck disable=SC2086
    "$2" --rounds 1 --batch 0.0001 --no-limits --n 1,8,32 $more --out "$folder/more.json" \
        --peers naive,ours-direct,ours-plan "$folder/knn.mtx.gz" 2>/dev/null
    python3 "$3" "$folder/more.json" >/dev/null
done
plans=() # as many as there may be
for q in {1..32}; do plans+=(--plan "p$q=(plan spmm (part csr) (tile 8))"); done
"$2" --rounds 1 --batch 0.0001 --no-limits --op spmm --n 8 --type f32 --out "$folder/many.json" \
    --peers naive,ours-direct,ours-plan,ours-frozen "${plans[@]}" "$folder/knn.mtx.gz" 2>/dev/null
"$(dirname "$2")/combinations_bench" --op sddmm --rows 128 --seconds 0 >"$folder/now-1.json"
cp "$folder/now-1.json" "$folder/before-1.json"
python3 "$(dirname "$3")/combinations_table.py" "$folder/all.md" smoke "$folder/now-1.json" \
    "$folder/before-1.json"
[ "$(grep -c '^| sddmm | bf16 | 64 | T | col | [0-9]' "$folder/all.md")" = 1 ]
if "$2" "$folder/absent.mtx" >/dev/null 2>&1; then
    echo "a missing file was accepted" >&2
    exit 1
fi
