# Run a script of a Harbor task as if the tree around this file were the working folder of its image.
# sh moved.sh FOLDER solution|tests SCRIPT; ends as a solution does, and well when the reward of a verifier is 1.
app=$(cd "$(dirname "$0")/.." && pwd)
here=$(mktemp -d)
mkdir -p "$here/logs/verifier" "$here/logs/agent" "$here/elsewhere"
cp -r "$app/harbor_task/$2" "$here/$2"
if [ -d "$app/harbor_task/elsewhere" ]; then cp -r "$app/harbor_task/elsewhere" "$here"; fi
FILES=$(cd "$here/elsewhere" && find . -type f | cut -c2-)
export APP="$app" HERE="$here" FOLDER="$1" FILES
find "$here/$2" "$here/elsewhere" -type f -exec perl -pi -e '
    BEGIN {
        %to = map { $_ => "$ENV{HERE}/elsewhere$_" } split /\n/, $ENV{FILES};
        %to = (%to, $ENV{FOLDER} => $ENV{APP}, map { $_ => "$ENV{HERE}$_" } "/tests", "/solution", "/logs");
        $from = join "|", map { quotemeta } sort { length $b <=> length $a } keys %to;
    }
    s{(?<![\w./-])($from)(?![\w.-])}{$to{$1}}ge' {} +
cd "$app" && bash "$here/$2/$3"
code=$?
[ "$2" = solution ] && exit $code
grep -Eqs '^1(\.0*)?$' "$here/logs/verifier/reward.txt" && exit 0
grep -Eqs '"reward": *1(\.0*)?[^0-9.]' "$here/logs/verifier/reward.json" && exit 0
echo "the reward is not 1; the script ended with $code" >&2
exit 1
